import { type RefCallback, useCallback } from 'react';
import { signedInUser } from '../auth/use-signed-in-user.js';

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Sets a field of React as typing does: React notices only what changes past the property that it has put on the element. */
export function typeInto(field: Field, value: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!.set!.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/**
 * Keeps what was typed in a form, passwords excepted, when it goes away because the session has ended: opened again by the same user, it
 * has the text again.
 */
export function useDraft(name: string): RefCallback<HTMLFormElement> {
  return useCallback(
    (form) => {
      if (!form) return;
      const key = `draft of ${signedInUser()?.id}: ${window.location.pathname} ${name}`;
      const fields = () => form.querySelectorAll<Field>('input[name]:not([type=password]), textarea[name]');
      const kept: Record<string, string> = JSON.parse(sessionStorage.getItem(key) ?? '{}');
      sessionStorage.removeItem(key);
      for (const field of fields()) if (kept[field.name] !== undefined) typeInto(field, kept[field.name]!);
      return () => {
        const typed = Array.from(fields(), (field) => [field.name, field.value]);
        if (signedInUser() === null) sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(typed)));
      };
    },
    [name],
  );
}
