// What the area brings to the dashboard: nothing yet. Documents are applied on the command line and over the API.

import type { Area } from '../area.ts';

export const configuration: Area = {
  name: 'configuration',
  title: 'Configuration',
  guide: 'configuration-as-code',
  kinds: {},
  pages: [],
  group: 'This account',
  navigation: [],
};
