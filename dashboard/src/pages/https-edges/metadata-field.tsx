// The metadata of an identity provider: dropped, chosen or pasted, with what is read out of them before anything is saved.

import { useState } from 'react';
import { DropZone, Text } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { useData } from '../../client/data.ts';
import { problemOf } from '../../client/problem.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/fields.tsx';
import { Loading, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { useSettled } from '../../kit/settled.ts';
import styles from './https-edges.module.css';
import { IdentityProvider, MetadataWarnings } from './identity-provider.tsx';
import { ReadIdpMetadataDocument } from './route.generated.ts';

/** Milliseconds after the last letter before metadata are read: they come in one piece. */
const restMs = 250;
/** Most bytes that a module takes; what is larger is some other file. */
const bytesMax = 262_144;

/** What would be read out of metadata. */
function Preview({ metadata }: { metadata: string }) {
  const settled = useSettled(metadata, restMs);
  const { data, error } = useData(ReadIdpMetadataDocument, { metadata: settled }, []);
  const read = data?.idpMetadata;
  if (error) return <ProblemNotice problem={problemOf(error)} />;
  if (!read || settled !== metadata) return <Loading />;
  if (read.identityProvider === null) {
    return (
      <Notice tone="bad" title="This is not metadata that can be used.">
        {read.error}
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
  const take = async (file: Pick<File, 'name' | 'size' | 'text'>) => {
    setName(file.name);
    if (file.size > bytesMax)
      return setWrong(`${file.name} has ${file.size.toLocaleString()} bytes: metadata have at most 262,144.`);
    setWrong(null);
    onChange(await file.text());
  };
  return (
    <div className="stack">
      <DropZone
        className={styles.drop}
        getDropOperation={() => 'copy'}
        onDrop={async ({ items }) => {
          for (const item of items) {
            if (item.kind === 'file') return void take(await item.getFile());
            if (item.kind === 'text' && item.types.has('text/plain')) onChange(await item.getText('text/plain'));
          }
        }}
      >
        <Text slot="label">Drop the metadata file of the identity provider here</Text>
        <FileTrigger
          acceptedFileTypes={['.xml', 'text/xml', 'application/xml', 'application/samlmetadata+xml']}
          onSelect={(files) => {
            const file = files?.[0];
            if (file) void take(file);
          }}
        >
          <Button autoFocus={autoFocus}>Choose a file</Button>
        </FileTrigger>
        {name !== '' && wrong === null && value !== '' && <span className="muted">{name}</span>}
      </DropZone>
      <TextField
        label="Or paste it"
        mono
        lines={4}
        value={value}
        onChange={(text) => {
          setName('');
          setWrong(null);
          onChange(text);
        }}
        placeholder="<EntityDescriptor …"
        hint="Every identity provider offers it for download, as “federation metadata” or “metadata XML”."
        error={wrong ?? error}
      />
      {value.trim() !== '' && wrong === null && <Preview metadata={value} />}
    </div>
  );
}
