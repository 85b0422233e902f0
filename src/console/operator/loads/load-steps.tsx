import { Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './load-steps.module.css';

const labels = { file: 'File', columns: 'Columns', check: 'Check', load: 'Load' };

export type LoadStepName = keyof typeof labels;

export const stepNames = Object.keys(labels) as LoadStepName[];

interface LoadStepsProps {
  step: LoadStepName;
  /** Whether the steps after the first one may be opened. */
  isFileHere: boolean;
  onOpen: (step: LoadStepName) => void;
}

/** The numbered steps of a load, and the title of the open one, which takes the focus when the step changes. */
export function LoadSteps({ step, isFileHere, onOpen }: LoadStepsProps) {
  const title = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    title.current?.focus();
    window.scrollTo({ top: 0 });
  }, [step]);
  return (
    <>
      <nav aria-label="Steps of the load">
        <ol className={classes.steps}>
          {stepNames.map((name, index) => (
            <li key={name}>
              <button
                type="button"
                className={classes.step}
                aria-current={name === step ? 'step' : undefined}
                disabled={index > 0 && !isFileHere}
                onClick={() => onOpen(name)}
              >
                {index + 1}. {labels[name]}
              </button>
            </li>
          ))}
        </ol>
      </nav>
      <Title order={2} size="h4" ref={title} tabIndex={-1}>
        Step {stepNames.indexOf(step) + 1} of {stepNames.length}: {labels[step]}
      </Title>
    </>
  );
}
