// The main flows of the dashboard, in another engine than that of all other tests.

import { testFirstHour } from '../support/first-hour.ts';

testFirstHour('firefox');
