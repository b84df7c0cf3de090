// Selection of a key's rights, area by area.

import { useId } from 'react';
import { allows } from '../../client/rights.ts';
import { Checkbox } from '../../kit/fields.tsx';
import { areas } from '../areas.ts';
import styles from './keys.module.css';
import { type Choice, type Level, levelOf, levels, narrowScopes } from './rights.ts';

const titles = { none: 'None', read: 'Read', write: 'Change' } as const;

/** A table with a row for each area. Rights that the creating key does not have cannot be selected. */
export function RightsMatrix({
  choice,
  onChange,
  maker,
}: {
  choice: Choice;
  onChange: (choice: Choice) => void;
  /** The scopes of the key that creates the new one. */
  maker: readonly string[];
}) {
  const id = useId();
  const set = (area: string, level: Level) => onChange({ ...choice, levels: { ...choice.levels, [area]: level } });
  const rows = [{ name: '', title: 'Everything' }, ...areas];
  return (
    <div className={styles.rights}>
      <table className={styles.matrix} aria-label="What the key may do">
        <thead>
          <tr>
            <th scope="col">Area</th>
            {levels.map((level) => (
              <th key={level} scope="col">
                {titles[level]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name: area, title }) => {
            const all = choice.levels[''] ?? 'none';
            const chosen = area === '' ? all : levelOf(choice, area);
            return (
              <tr key={area} className={area === '' ? styles.all : undefined}>
                <th scope="row">{title}</th>
                {levels.map((level) => {
                  const scope = area === '' ? level : `${area}:${level}`;
                  const isIncluded = area !== '' && levels.indexOf(level) < levels.indexOf(all);
                  const isDisabled = isIncluded || (level !== 'none' && !allows(maker, scope));
                  return (
                    <td key={level}>
                      <label>
                        <input
                          type="radio"
                          name={`${id}-${area}`}
                          aria-label={`${title}: ${titles[level]}`}
                          checked={chosen === level}
                          disabled={isDisabled}
                          onChange={() => set(area, level)}
                        />
                      </label>
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
      <fieldset className={styles.narrow}>
        <legend>For one thing only</legend>
        {narrowScopes.map(({ scope, area, title, hint, isApart = false }) => {
          const isIncluded = !isApart && levelOf(choice, area) === 'write';
          return (
            <Checkbox
              key={scope}
              label={title}
              hint={hint}
              value={isIncluded || choice.narrow.includes(scope)}
              onChange={(isOn) =>
                onChange({
                  ...choice,
                  narrow: isOn ? [...choice.narrow, scope] : choice.narrow.filter((each) => each !== scope),
                })
              }
              isDisabled={isIncluded || !allows(maker, scope)}
            />
          );
        })}
      </fieldset>
    </div>
  );
}
