// Tests with times in them, on machines that have other things to do.

/**
 * Options of a test that holds a duration below a bound far above what is usual. A machine that does nothing for a second breaks it
 * now and then, a fault of the product every time.
 */
export const busyMachine = { retry: 2 } as const;
