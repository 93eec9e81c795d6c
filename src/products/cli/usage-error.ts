/** A mistake in the arguments, or in what they lead to. Its message is all that the user needs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
