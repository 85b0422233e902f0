import { Anchor, type AnchorProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { Link } from 'wouter';

type LinkProps = AnchorProps & Omit<ComponentPropsWithoutRef<'a'>, keyof AnchorProps | 'href'> & { href: string };

/** A link to a page of the site within other words, as large as they are. */
export const TextLink = (props: LinkProps) => <Anchor component={Link} inherit underline="always" {...props} />;

/** A link to a page of the site that stands alone, as in the cell of a table. */
export const RowLink = (props: LinkProps) => <Anchor component={Link} inherit {...props} />;
