import type { ReactNode } from 'react';

// A few icons do not justify a library. They are decoration: the control around them has the accessible name.
export const SunIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4" />
  </Icon>
);

export const MoonIcon = () => (
  <Icon>
    <path d="M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z" />
  </Icon>
);

export const CopyIcon = () => (
  <Icon size={14}>
    <path d="M9 9h11v11H9zM5 15H4V4h11v1" />
  </Icon>
);

export const CheckIcon = () => (
  <Icon size={14}>
    <path d="M5 12l5 5L20 7" />
  </Icon>
);

function Icon({ size = 18, children }: { size?: number; children: ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  );
}
