import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../config.js';

export interface SecurityHeaders {
  /** Names and values in turn, for `writeHead`. */
  flat: string[];
  /** Sets them on an answer that somebody else writes. */
  middleware: RequestHandler;
  /** The policy of a page: styles made at run time carry its nonce. */
  pagePolicy(nonce: string): string;
}

const policyHeader = 'Content-Security-Policy';
const noncePlace = 'nonce-of-the-page';

/** What every answer says to browsers, by helmet. It is the same for all of them, so it is asked once, not at every request. */
export function securityHeaders(config: Pick<Config, 'baseUrl'>): SecurityHeaders {
  const headers = askHelmet(config, ["'self'"]);
  const pagePolicy = askHelmet(config, ["'self'", `'nonce-${noncePlace}'`]).get(policyHeader)!;
  return {
    flat: [...headers].flat(),
    middleware: (_request, response, next) => {
      for (const [name, value] of headers) response.setHeader(name, value);
      next();
    },
    pagePolicy: (nonce) => pagePolicy.replace(noncePlace, nonce),
  };
}

function askHelmet({ baseUrl }: Pick<Config, 'baseUrl'>, styleSrc: string[]): Map<string, string> {
  const isSecure = baseUrl.startsWith('https:');
  const headers = new Map<string, string>();
  const answer = { setHeader: (name: string, value: string) => headers.set(name, value), removeHeader: () => {} };
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      // Everything comes from us alone.
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc,
        // React sets style attributes through the DOM, which this does not concern; charts' own markup may carry them.
        styleSrcAttr: ["'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        ...(isSecure && { upgradeInsecureRequests: [] }),
      },
    },
    strictTransportSecurity: isSecure,
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    crossOriginEmbedderPolicy: false,
  })({} as IncomingMessage, answer as unknown as ServerResponse, (fault?: unknown) => {
    if (fault) throw fault;
  });
  return headers;
}
