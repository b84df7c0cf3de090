// One field for everything: pages to go to, and objects to find.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../kit/dialog.tsx';
import { TextField } from '../kit/fields.tsx';

/** The palette. */
export default function Palette({ close }: { close: () => void }) {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  return (
    <Dialog title="Search" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close();
          navigate('/');
        }}
      >
        <TextField label="Search" type="search" value={text} onChange={setText} autoFocus />
      </form>
    </Dialog>
  );
}
