// Common lifetimes of certificates and tokens.

import { type Lasting, until } from '../../kit/lasting.ts';

export const certificateLasting: readonly Lasting[] = [
  { value: '30', title: '30 days', days: 30 },
  { value: '90', title: '90 days', days: 90 },
  { value: '365', title: 'One year', days: 365 },
  { value: '730', title: 'Two years', days: 730 },
  until,
];

export const tokenLasting: readonly Lasting[] = [
  { value: 'hour', title: 'One hour', days: 1 / 24 },
  { value: 'day', title: '24 hours', days: 1 },
  { value: 'week', title: '7 days', days: 7 },
  { value: 'month', title: '30 days', days: 30 },
  until,
];
