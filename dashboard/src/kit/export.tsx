// The button that saves a list as a file.

import { useState } from 'react';
import { listMax, type Pages } from '../client/data.ts';
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

/** Saves a list as comma-separated values: what passes its search and filters, in its order; or rows of it. */
export function Export({ label, of }: { label: string; of: Pick<Pages<object>, 'all'> | readonly object[] }) {
  const [isReading, setReading] = useState(false);
  const run = async () => {
    setReading(true);
    const read = 'all' in of ? await of.all() : of;
    if ('message' in read) say(`The list was not saved. ${read.message}`);
    else await save(label, read);
    setReading(false);
  };
  return (
    <Button label={`Save ${label} as CSV`} isPending={isReading} onPress={() => void run()}>
      CSV
    </Button>
  );
}
