import type { Db } from 'mongodb';
import { isServerError, serverCodes } from '../driver/server-error.ts';
import type { ExistingValidator, ValidatorComparison } from './validator-plan.ts';

/** Reads the validator of a collection. Undefined if the collection does not exist. Numbers keep their types. */
export async function readValidator(db: Db, name: string, signal: AbortSignal): Promise<ExistingValidator | undefined> {
  const [found] = await db.listCollections({ name }, { promoteValues: false, useBigInt64: false, raw: false, signal }).toArray();
  if (!found) return undefined;
  const { validator = {}, validationLevel = 'strict', validationAction = 'error' } = ('options' in found ? found.options : undefined) ?? {};
  return { validator, validationLevel, validationAction };
}

/** Sets the validator of a collection, and creates the collection if it does not exist. */
export async function setValidator(
  db: Db,
  { collection, validator, validationLevel, validationAction, isThere }: ValidatorComparison,
): Promise<void> {
  const options = { validator, validationLevel, validationAction };
  if (!isThere) {
    try {
      return void (await db.command({ create: collection, ...options }));
    } catch (error) {
      if (!isServerError(error, serverCodes.namespaceExists)) throw error; // another process was faster
    }
  }
  await db.command({ collMod: collection, ...options });
}
