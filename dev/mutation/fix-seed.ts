import fc from 'fast-check';

/** Property tests take the same values in every run: else a mutant could survive by luck. */
fc.configureGlobal({ seed: 20_260_131 });
