// Links to pages of the dashboard: native links that the router follows without reloading the page.

import type { ComponentProps, MouseEvent } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { dashboardPath } from '../client/server.ts';
import { leave } from './unsaved.ts';

/** Follows a link with the router, unless the browser is asked to open it elsewhere. */
function follow(event: MouseEvent<HTMLAnchorElement>): void {
  const { currentTarget: link, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey || ctrlKey || metaKey || shiftKey || link.target !== '') return;
  event.preventDefault();
  const { href } = link;
  leave(() => navigate(href));
}

/**
 * A link to a page.
 *
 * @param href the path below the dashboard, such as `/ssh`
 */
export function Link({ href, ...rest }: Omit<ComponentProps<'a'>, 'onClick'> & { readonly href: string }) {
  return <a {...rest} href={`${dashboardPath}${href}`} onClick={follow} />;
}
