import { ValidateBy } from 'class-validator';
import ipaddr from 'ipaddr.js';
import { hostUrls } from './database-hosts.js';

/** A secret for a county's server: `host:port Header: value`. */
export const sourceHeaderPattern = /^(\S+:\d{1,5}) ([\w-]+): *(\S[^\r\n]*)$/;

/** A rule of our own. @param each whether the setting is a list, of whose parts each must keep it */
const MustBe = <Value>(message: string, validate: (value: Value) => boolean, each = false): PropertyDecorator =>
  ValidateBy({ name: message, validator: { validate } }, { message: `must be ${message}`, each });

export const IsWholeNumber = (min: number, max: number): PropertyDecorator =>
  MustBe(`a whole number from ${min} to ${max}`, (value: number) => Number.isInteger(value) && value >= min && value <= max);

/** A URL that the driver can parse; it throws for others. It accepts `user@/name`, without a host. */
export const IsDatabase = MustBe(
  'a postgres:// address, in whose password / is %2F and # is %23',
  (text: string) => /^postgres(ql)?:\/\//.test(text) && hostUrls(text).every((url) => URL.canParse(url.replace('@/', '@host/'))),
);

export const IsMailServer = MustBe(
  'an smtp:// or smtps:// address, in whose password / is %2F and # is %23',
  (text: string) => /^smtps?:\/\/./.test(text) && URL.canParse(text),
);

/** A template, but for its host, which the content policy names. */
export const IsTiles = MustBe(
  'an https address with {z}, {x} and {y} in its path',
  (text: string) =>
    /^https:\/\/[^/?#{}@]+\//.test(text) && URL.canParse(text) && ['{z}', '{x}', '{y}'].every((part) => text.includes(part)),
);

/** Express accepts these for `trust proxy`, and throws for others. */
export const IsProxies = MustBe(
  'loopback, linklocal, uniquelocal, or addresses and networks (10.0.0.0/8), comma-separated',
  (text: string) => {
    if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
    const [, address = '', bits = '1'] = /^((?:::ffff:)?[\d.]+|[\da-f:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
    const maxBits = ipaddr.IPv4.isValidFourPartDecimal(address) ? 32 : ipaddr.IPv6.isValid(address) ? 128 : 0;
    return Number(bits) >= 1 && Number(bits) <= maxBits;
  },
  true,
);

const onThisMachine = /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?\/?$/i;

/** The faults of BASE_URL in production. */
export function publicAddressFaults(url: string | undefined): string[] {
  if (!url) return ['BASE_URL is required in production: the public https address. Links to next pages and in mails lead there'];
  if (!/^http:/i.test(url) || onThisMachine.test(url)) return [];
  return [`BASE_URL must be https in production: tokens and cookies are sent there (got ${JSON.stringify(url)})`];
}
