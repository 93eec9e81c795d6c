const steps: (() => Promise<void>)[] = [];

/** What a `globalSetup` has begun ends after the last test of the run, the latest first. */
export function afterRun(step: () => Promise<void>): void {
  steps.push(step);
}

export default async function endRun(): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step();
}
