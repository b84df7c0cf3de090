import { testFirstHour } from '../support/first-hour.ts';

testFirstHour('chromium');
