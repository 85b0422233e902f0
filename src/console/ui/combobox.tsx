import { Box, Text } from '@mantine/core';
import { type InputHTMLAttributes, type KeyboardEvent, type ReactNode, type Ref, useEffect, useId, useRef, useState } from 'react';
import classes from './combobox.module.css';

export interface Choice {
  key: string;
  label: ReactNode;
  /** Small text on the right. */
  hint?: ReactNode;
}

export interface ComboboxProps<Item extends Choice> {
  label: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  choices: Item[];
  onChoose: (choice: Item) => void;
  /** Whether better matches may come: none is marked then, and Enter waits for them. */
  isLoading?: boolean;
  /** Shown when nothing matches the text. */
  empty: string;
  onFocus?: () => void;
  inputRef?: Ref<HTMLInputElement>;
  /** In a form: what ties the field to its label, description and error. */
  field?: InputHTMLAttributes<HTMLInputElement>;
  /** In a dialog: the field has the focus and its list from the beginning, and Escape closes the dialog. */
  isInDialog?: boolean;
}

/**
 * A text field with a list of matches, following the ARIA combobox pattern: the focus stays in the field, arrows move through the list,
 * Enter takes the marked choice, at first the first one, Escape closes the list, then clears the field. Mantine's would add 20 KB.
 */
export function Combobox<Item extends Choice>(props: ComboboxProps<Item>) {
  const { label, text, onText, choices, onChoose, isLoading = false, isInDialog = false } = props;
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [moved, setMoved] = useState<number>();
  const marked = moved ?? (isLoading ? -1 : 0);
  const [takesFirst, setTakesFirst] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const isShown = isInDialog || (isOpen && text.trim() !== '');

  const choose = (choice: Item | undefined) => {
    if (!choice) return;
    setIsOpen(false);
    setTakesFirst(false);
    onChoose(choice);
  };
  useEffect(() => {
    if (takesFirst && isShown && !isLoading) choose(choices[0]);
  });
  useEffect(() => {
    // On a phone the field may be at the end of the screen.
    if (isShown && choices.length > 0) list.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown, choices.length]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && choices.length > 0) {
      setIsOpen(true);
      setMoved((marked + step + (marked < 0 && step < 0 ? 1 : 0) + choices.length) % choices.length);
    } else if (event.key === 'Enter' && isShown && marked < 0) setTakesFirst(true);
    else if (event.key === 'Enter' && isShown) choose(choices[marked]);
    else if (isInDialog) return;
    else if (event.key === 'Escape' && isShown) setIsOpen(false);
    else if (event.key === 'Escape' && text) onText('');
    else return;
    event.preventDefault();
  };

  return (
    <Box pos="relative">
      <input
        {...props.field}
        ref={props.inputRef}
        className={classes.input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown && choices[marked] ? `${id}-${marked}` : undefined}
        autoComplete="off"
        data-autofocus={isInDialog || undefined}
        spellCheck={false}
        placeholder={props.placeholder}
        value={text}
        onChange={(event) => {
          onText(event.currentTarget.value);
          setMoved(undefined);
          setTakesFirst(false);
          setIsOpen(true);
        }}
        onFocus={props.onFocus}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        className={classes.list}
        hidden={!isShown || choices.length === 0}
      >
        {isShown &&
          choices.map((choice, index) => (
            // The focus stays in the field, where the arrow keys and Enter do the same as a click here.
            // biome-ignore lint/a11y/useFocusableInteractive: see above
            // biome-ignore lint/a11y/useKeyWithClickEvents: see above
            <div
              key={choice.key}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === marked}
              className={classes.option}
              ref={(element) => {
                if (index === marked) element?.scrollIntoView({ block: 'nearest' });
              }}
              // Otherwise pressing would blur the field, which closes the list before the click.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(choice)}
            >
              <span>{choice.label}</span>
              {choice.hint && (
                <Text span size="sm" c="dimmed">
                  {choice.hint}
                </Text>
              )}
            </div>
          ))}
      </div>
      <div role="status" className={isShown && choices.length === 0 ? classes.empty : undefined}>
        {isShown && choices.length === 0 && props.empty}
      </div>
    </Box>
  );
}
