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

export const MarkIcon = () => (
  <Icon>
    <path d={markPath} />
  </Icon>
);
export const OverviewIcon = () => (
  <Icon>
    <path d="M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z" />
  </Icon>
);
export const PersonIcon = () => (
  <Icon>
    <path d="M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.75 13.5c.5-2.25 2.5-3.5 5.25-3.5s4.75 1.25 5.25 3.5" />
  </Icon>
);
export const PolicyIcon = () => (
  <Icon>
    <path d="M2.5 4h11M2.5 8h11M2.5 12h6M11 12l1.25 1.25L14 11" />
  </Icon>
);
export const RestrictionIcon = () => (
  <Icon>
    <path d="M8 1.75 13 4v4c0 3-2.2 5.2-5 6.25C5.2 13.2 3 11 3 8V4z" />
  </Icon>
);
export const KeyIcon = () => (
  <Icon>
    <circle cx="5" cy="11" r="3" />
    <path d="m7.2 8.8 6-6M10.5 5.5l2 2" />
  </Icon>
);
export const CertificateIcon = () => (
  <Icon>
    <path d="M2.5 3h11v7.5h-11zM5 6h4M5 8h2" />
    <circle cx="11" cy="10.5" r="2" />
    <path d="m10 12.2-.5 2.3L11 13.7l1.5.8-.5-2.3" />
  </Icon>
);
export const RouteIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="6" />
    <path d="M2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2" />
  </Icon>
);
export const LockIcon = () => (
  <Icon>
    <path d="M3 7.5h10V14H3zM5 7.5V5a3 3 0 0 1 6 0v2.5" />
  </Icon>
);
export const BackendIcon = () => (
  <Icon>
    <path d="M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11zM5 4.75h.01M5 11.25h.01" />
  </Icon>
);
export const TrailIcon = () => (
  <Icon>
    <path d="M8 4.5V8l2.5 1.5" />
    <path d="M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2.5v2.75h2.75" />
  </Icon>
);
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
