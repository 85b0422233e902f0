import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Names and values, one a line; entries that are `false` are left out. */
export function Facts({ facts }: { facts: ([name: string, value: ReactNode] | false)[] }) {
  return (
    <dl className={classes.list}>
      {facts
        .filter((fact) => fact !== false)
        .map(([name, value]) => (
          <div key={name} className={classes.row}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
