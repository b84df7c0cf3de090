// The mark of the dashboard.

/** Its lines on a grid of 16, as the attribute `d` of a path takes them. */
export const markPath = 'M2.5 14V7.5a5.5 5.5 0 0 1 11 0V14M6 14V8a2 2 0 0 1 4 0v6';
