import { Anchor, type AnchorProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { Link } from 'wouter';
import { paths } from '../paths.js';

type LinkProps = AnchorProps & Omit<ComponentPropsWithoutRef<'a'>, keyof AnchorProps | 'href'> & { href: string };

/** A link to a page of the site within other words, as large as they are. */
export const TextLink = (props: LinkProps) => <Anchor component={Link} inherit underline="always" {...props} />;

/** A link to a page of the site that stands alone, as in the cell of a table. */
export const RowLink = (props: LinkProps) => <Anchor component={Link} inherit {...props} />;

/** An account by its email address, which leads to its page. One without an address is named by its id. */
export const AccountLink = ({ id, email }: { id: string; email: string | null }) => (
  <RowLink href={paths.adminAccount(id)} title={email ?? id}>
    {email ?? id}
  </RowLink>
);
