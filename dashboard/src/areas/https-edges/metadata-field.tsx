// A field for the metadata of an identity provider: dropped, chosen or pasted, with a preview before anything is saved.

import { useRef, useState } from 'react';
import { useData } from '../../client/data.ts';
import { problemOf } from '../../client/problem.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/fields.tsx';
import { Loading, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { useSettled } from '../../kit/settled.ts';
import { sayNumber } from '../../kit/words.ts';
import styles from './https-edges.module.css';
import { IdentityProvider, MetadataWarnings } from './identity-provider.tsx';
import { ReadIdpMetadataDocument } from './route.generated.ts';

/** Milliseconds between the last keystroke and the preview. Short, because metadata is usually pasted in one piece. */
const restMs = 250;
/** Maximum size of the metadata of a module, in bytes. A larger file is something else. */
const bytesMax = 262_144;

/** Preview of what the server reads from the metadata. */
function Preview({ metadata }: { metadata: string }) {
  const settled = useSettled(metadata, restMs);
  const { data, error } = useData(ReadIdpMetadataDocument, { metadata: settled }, []);
  const read = data?.idpMetadata;
  if (error) return <ProblemNotice problem={problemOf(error)} />;
  if (!read || settled !== metadata) return <Loading />;
  if (read.identityProvider === null) {
    return (
      <Notice tone="bad" title="This is not metadata that can be used.">
        The metadata {read.error}
      </Notice>
    );
  }
  return (
    <div className="stack">
      <IdentityProvider provider={read.identityProvider} />
      <MetadataWarnings warnings={read.warnings} />
    </div>
  );
}

/** A field for metadata. */
export function MetadataField({
  value,
  onChange,
  error,
  autoFocus = false,
}: {
  value: string;
  onChange: (metadata: string) => void;
  error: string | null;
  autoFocus?: boolean;
}) {
  const [name, setName] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const enter = (text: string) => {
    setName('');
    setWrong(null);
    onChange(text);
  };
  const take = async (file: Pick<File, 'name' | 'size' | 'text'>) => {
    setName(file.name);
    if (file.size > bytesMax)
      return setWrong(`${file.name} has ${sayNumber(file.size)} bytes: metadata has at most ${sayNumber(bytesMax)}.`);
    setWrong(null);
    onChange(await file.text());
  };
  /** Takes what was dropped or pasted. */
  const takeFrom = (event: Pick<Event, 'preventDefault'>, data: DataTransfer) => {
    event.preventDefault();
    const [file] = data.files;
    const text = data.getData('text/plain');
    if (file !== undefined) void take(file);
    else if (text !== '') enter(text);
  };
  return (
    <div className="stack">
      <fieldset
        className={styles.drop}
        aria-label="File with the metadata"
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          takeFrom(event, event.dataTransfer);
        }}
        onPaste={(event) => takeFrom(event, event.clipboardData)}
      >
        <span>Drop or paste the metadata of the identity provider here</span>
        <input
          ref={chooser}
          type="file"
          hidden
          accept=".xml,text/xml,application/xml,application/samlmetadata+xml"
          onChange={({ target }) => {
            const file = target.files?.[0];
            if (file !== undefined) void take(file);
            // So that choosing the same file again, after it was edited, fires another event.
            target.value = '';
          }}
        />
        <Button autoFocus={autoFocus} onPress={() => chooser.current?.click()}>
          Choose a file
        </Button>
        {name !== '' && wrong === null && value !== '' && <span className="muted">{name}</span>}
      </fieldset>
      <TextField
        label="Or paste it"
        mono
        lines={4}
        value={value}
        onChange={enter}
        placeholder="<EntityDescriptor …"
        hint="Every identity provider offers it for download, as “federation metadata” or “metadata XML”."
        error={wrong ?? error}
      />
      {value.trim() !== '' && wrong === null && <Preview metadata={value} />}
    </div>
  );
}
