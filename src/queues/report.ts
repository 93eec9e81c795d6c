import { textOfError } from './text-of-error.ts';

/** Tells an observer. What it throws must not stop the delivery. */
export async function report<What>(observe: ((what: What) => unknown) | undefined, what: What): Promise<void> {
  try {
    await observe?.(what);
  } catch (error) {
    process.emitWarning(`\`observe\` of a delivery has failed: ${textOfError(error)}`, 'KoaMongoResourceWarning');
  }
}
