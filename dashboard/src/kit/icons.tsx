// The icons, drawn for this dashboard on a 16 x 16 grid. Always shown next to text or in a control with an accessible name.

import type { ReactNode } from 'react';
import { markPath } from './mark.ts';

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

/** An icon whose lines are one path, such as that of an area. */
export const LineIcon = ({ path }: { path: string }) => (
  <Icon>
    <path d={path} />
  </Icon>
);
export const MarkIcon = () => <LineIcon path={markPath} />;
export const SearchIcon = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.5" />
    <path d="m10.5 10.5 3.5 3.5" />
  </Icon>
);
export const CopyIcon = () => (
  <Icon>
    <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />
  </Icon>
);
export const CheckIcon = () => (
  <Icon>
    <path d="m3 8.5 3.25 3.25L13 4.75" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Icon>
);
export const ChevronIcon = () => (
  <Icon>
    <path d="m5 6.5 3 3 3-3" />
  </Icon>
);
export const CodeIcon = () => (
  <Icon>
    <path d="m5 4.5-3.5 3.5L5 11.5M11 4.5l3.5 3.5-3.5 3.5M9 3.5l-2 9" />
  </Icon>
);
/** Shows the sort direction of a column; null if the list is sorted by another column. */
export const SortIcon = ({ direction }: { direction: 'asc' | 'desc' | null }) => (
  <Icon>
    {direction !== 'desc' && <path d="M5.5 6 8 3.5 10.5 6" />}
    {direction !== 'asc' && <path d="M5.5 10 8 12.5 10.5 10" />}
  </Icon>
);
export const PlusIcon = () => (
  <Icon>
    <path d="M8 3v10M3 8h10" />
  </Icon>
);
export const MenuIcon = () => (
  <Icon>
    <path d="M2.5 4h11M2.5 8h11M2.5 12h11" />
  </Icon>
);
export const WarningIcon = () => (
  <Icon>
    <path d="M8 2.5 14.5 13.5h-13zM8 6.5v3M8 11.5h.01" />
  </Icon>
);
export const InfoIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 7.5V11M8 5h.01" />
  </Icon>
);
