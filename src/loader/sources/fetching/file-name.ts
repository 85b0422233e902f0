import type { Answer } from './web-client.js';

const maxLength = 100;

/** The name of a downloaded file: as the server names it, otherwise the last part of its address. */
export function fileNameOf({ url, headers }: Answer): string {
  const disposition = headers['content-disposition'] ?? '';
  const encoded = /filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const quoted = /filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1');
  const bare = /filename\s*=\s*([^";\s]+)/i.exec(disposition)?.[1];
  const named = (encoded && decode(encoded)) || quoted || bare || decode(url.pathname.replace(/\/+$/, ''));
  return safeName(named);
}

/** A name without folders, control characters and leading dots: our own files beside it start with a dot. */
export function safeName(text: string): string {
  const name = text
    .replace(/^.*[\\/]/s, '')
    .replace(/[^\p{L}\p{N} ._()-]/gu, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return name.length <= maxLength ? name || 'download' : name.slice(-maxLength).replace(/^[.\s]+/, '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
