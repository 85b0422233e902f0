import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../config.js';

/** Everything comes from us alone; styles made at run time carry the page's nonce. */
export function securityHeaders(config: Pick<Config, 'baseUrl'>): RequestHandler[] {
  const isSecure = config.baseUrl.startsWith('https:');
  return [
    (_request, response, next) => {
      response.locals.nonce = randomBytes(16).toString('base64');
      next();
    },
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'", (_request, response) => `'nonce-${(response as { locals?: { nonce?: string } }).locals?.nonce}'`],
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
    }) as RequestHandler,
  ];
}
