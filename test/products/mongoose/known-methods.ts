/**
 * The methods of mongoose 8 and 9, and of the driver's collections, that write no record: a new one is a write until
 * somebody has looked at it. Those that begin with `$` or `_` are of mongoose itself, and lead to the others.
 */
export const harmless: Readonly<Record<'Model' | 'Document' | 'Query' | 'Connection' | 'Collection of the driver', string>> = {
  Model: `Query addListener applyDefaults applyTimestamps applyVirtuals buildBulkWriteOperations castObject cleanIndexes
    clientEncryption compile countDocuments createCollection createIndexes createSearchIndex createSearchIndexes
    diffIndexes discriminator distinct dropSearchIndex emit ensureIndexes estimatedDocumentCount eventNames exists find
    findAndCount findById findOne getMaxListeners hydrate init inspect listIndexes listSearchIndexes listenerCount
    listeners model namespace off on once populate prependListener prependOnceListener rawListeners recompileSchema
    removeAllListeners removeListener setMaxListeners startSession syncIndexes translateAliases updateSearchIndex
    useConnection validate watch where`,
  Document: `addListener depopulate directModifiedPaths emit equals get getChanges init initializeTimestamps inspect invalidate isDirectModified
    isDirectSelected isInit isModified isSelected listeners markModified model modifiedPaths on once overwrite
    ownerDocument parent populate populated removeAllListeners removeListener set setMaxListeners toBSON toJSON toObject
    toString unmarkModified validate validateSync`,
  Query: `all allowDiskUse and batchSize box cast catch center centerSphere circle clone collation collection comment count
    countDocuments cursor distinct elemMatch eq equals error estimatedDocumentCount exec exists explain finally find
    findAndCount findById findOne findOneAndRemove geometry get getFilter getOptions getPopulatedPaths getQuery getUpdate
    gt gte hint in intersects isPathSelectedInclusive j lean limit lt lte maxDistance maxTime maxTimeMS merge minDistance
    mod mongooseOptions ne near nearSphere nin nor or orFail polygon populate post pre projection r read readConcern regex
    sanitizeProjection schemaLevelProjections select selected selectedExclusively selectedInclusively session set
    setOptions setQuery setReadPreference setTraceFunction setUpdate size skip slaveOk slice sort tailable then
    toConstructor toString transform validate w wTimeout where within writeConcern wtimeout`,
  Connection: `aggregate asPromise authMechanismDoesNotRequirePassword close collection createClient createCollection
    createCollections deleteModel destroy doClose dropCollection dropDatabase error get getClient listCollections
    listDatabases model modelNames on onClose onOpen once openUri optionsProvideAuthenticationData plugin removeDb set
    setClient shouldAuthenticate startSession syncIndexes transaction useDb watch withSession`,
  'Collection of the driver': `count countDocuments createIndex createIndexes createSearchIndex createSearchIndexes
    deleteMany deleteOne distinct drop dropIndex dropIndexes dropSearchIndex estimatedDocumentCount find findOne
    findOneAndDelete indexExists indexInformation indexes insertMany insertOne isCapped listIndexes listSearchIndexes
    options rename updateSearchIndex watch`,
};
