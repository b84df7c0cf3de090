// The button that saves a list as a file.

import { useEffect, useRef, useState } from 'react';
import { listMax, type Pages } from '../client/pages.ts';
import { Button } from './button.tsx';
import { say } from './toast.tsx';
import { sayNumber } from './words.ts';

/** Has the browser save rows as comma-separated values. The code is loaded when it is first needed. */
async function save(label: string, rows: readonly object[]): Promise<void> {
  const module = await import('./csv.ts').catch(() => null);
  if (module === null)
    return say('The list was not saved: the server cannot be reached, or has another version by now.');
  module.saveCsv(label, rows);
  if (rows.length >= listMax) say(`The file has the first ${sayNumber(listMax)} rows. Filters narrow the list.`);
}

/**
 * Saves a list as comma-separated values: what passes its search and filters, in its order; or rows of it. A long list is read page by
 * page: the button says how many rows have come, and stops it.
 */
export function Export({ label, of }: { label: string; of: Pick<Pages<object>, 'all'> | readonly object[] }) {
  const [read, setRead] = useState<number | null>(null);
  const stopping = useRef(new AbortController());
  useEffect(() => () => stopping.current.abort(), []);
  const run = async () => {
    if (read !== null) return stopping.current.abort();
    setRead(0);
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    const rows = 'all' in of ? await of.all({ read: setRead, signal }) : of;
    if (signal.aborted) say('Stopped. Nothing was saved.');
    else if ('message' in rows) say(`The list was not saved. ${rows.message}`);
    else await save(label, rows);
    setRead(null);
  };
  return (
    <Button
      label={read ? `Stop saving ${label}: ${sayNumber(read)} rows read` : `Save ${label} as CSV`}
      isPending={read === 0}
      onPress={() => void run()}
    >
      {read ? `Stop · ${sayNumber(read)}` : 'CSV'}
    </Button>
  );
}
