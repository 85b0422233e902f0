import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../../core/config.js';

export interface SecurityHeaders {
  /** Names and values in turn, for `writeHead`. */
  list: string[];
  /** Sets them on answers that `response.ts` does not write. */
  middleware: RequestHandler;
  /** The content security policy of a page. Scripts in it and styles made at run time need its nonce. */
  pagePolicy(nonce: string): string;
}

type PolicyConfig = Pick<Config, 'baseUrl' | 'basemapUrl'>;

const policyHeader = 'Content-Security-Policy';
const noncePlaceholder = 'nonce-of-the-page';

/** helmet's headers. They never change, so helmet runs once, not at every request. */
export function securityHeaders(config: PolicyConfig): SecurityHeaders {
  const headers = helmetHeaders(config, ["'self'"]);
  const pagePolicy = helmetHeaders(config, ["'self'", `'nonce-${noncePlaceholder}'`]).get(policyHeader)!;
  return {
    list: [...headers].flat(),
    middleware: (_request, response, next) => {
      for (const [name, value] of headers) response.setHeader(name, value);
      next();
    },
    pagePolicy: (nonce) => pagePolicy.replaceAll(noncePlaceholder, nonce),
  };
}

function helmetHeaders({ baseUrl, basemapUrl }: PolicyConfig, own: string[]): Map<string, string> {
  const isSecure = baseUrl.startsWith('https:');
  const headers = new Map<string, string>();
  const answer = { setHeader: (name: string, value: string) => headers.set(name, value), removeHeader: () => {} };
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      // Everything is loaded from our own origin only, but for the street map that the operator chose.
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: own,
        styleSrc: own,
        // For style attributes in chart markup. React sets styles through the DOM, which needs no permission.
        styleSrcAttr: ["'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", ...(basemapUrl ? [new URL(basemapUrl).origin] : [])],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        objectSrc: ["'none'"],
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
