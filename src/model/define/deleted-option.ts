/** Which records a read sees, of a model with `t.deletedAt()`. For another model, the option is an error. */
export interface DeletedOption {
  /** `'only'`: deleted records and nothing else. `'with'`: beside the living ones. @default living records only */
  readonly deleted?: 'only' | 'with';
}
