// The first page: what needs attention, and how it goes.

import { Page } from '../../kit/page.tsx';

export default function Overview() {
  return (
    <Page title="Overview">
      <p>Soon.</p>
    </Page>
  );
}
