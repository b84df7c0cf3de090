// The logo of the dashboard.

/** Path data of the logo on a 16 x 16 grid, for the `d` attribute of a `path`. */
export const markPath = 'M2.5 14V7.5a5.5 5.5 0 0 1 11 0V14M6 14V8a2 2 0 0 1 4 0v6';
