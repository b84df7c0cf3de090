/** Returns whether a range holds all addresses. */
export const isEverything = (cidr: string): boolean => /^(0\.0\.0\.0|[0:]*::[0:]*)\/0$/.test(cidr);
