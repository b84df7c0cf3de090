// The address at which the metadata of an identity provider is read.

import type { Problem } from '../../client/problem.ts';
import { TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';

/** What the fields edit. Metadata that has been given would count in place of that at a new address. */
interface Place {
  readonly idpMetadata: string;
  readonly idpMetadataUrl: string;
  readonly idpEntityId: string;
}

/** The fields for the address. */
export function AddressFields({
  values,
  set,
  problem,
}: {
  values: Place;
  set: (changes: Partial<Place>) => void;
  problem: Problem | null;
}) {
  return (
    <>
      <TextField
        label="Address of the metadata"
        mono
        value={values.idpMetadataUrl}
        onChange={(idpMetadataUrl) => set({ idpMetadataUrl, idpMetadata: '' })}
        placeholder="https://idp.example.com/metadata"
        hint="Read now, and again from time to time: new certificates count before the old ones end."
        error={errorOf(problem, 'idpMetadataUrl')}
      />
      {values.idpMetadataUrl !== '' && (
        <TextField
          label="Entity of the metadata"
          mono
          value={values.idpEntityId}
          onChange={(idpEntityId) => set({ idpEntityId, idpMetadata: '' })}
          hint="Only if the address has the metadata of several."
          error={errorOf(problem, 'idpEntityId')}
        />
      )}
    </>
  );
}
