import { Anchor, Code, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import { docPages } from '../../docs/doc-pages.js';

/** A text of the docs or the contract: paragraphs, lists, `code`, **strong** text and links. No other Markdown is supported. */
export function RichText({ text, size = 'md' }: { text: string; size?: 'sm' | 'md' }) {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph.startsWith('- ') ? (
        <List key={paragraph} size={size} spacing="xs" mb="sm" maw="72ch">
          {paragraph
            .split(/^- /m)
            .slice(1)
            .map((item) => (
              <List.Item key={item}>{inlineParts(item)}</List.Item>
            ))}
        </List>
      ) : (
        <Text key={paragraph} size={size} mb={size === 'sm' ? 0 : 'sm'} maw="72ch">
          {inlineParts(paragraph)}
        </Text>
      ),
    );
}

export const inlineParts = (text: string) => text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map(inline);

function inline(part: string, index: number) {
  if (part.startsWith('`')) return <Code key={index}>{part.slice(1, -1)}</Code>;
  if (part.startsWith('**')) return <strong key={index}>{part.slice(2, -2)}</strong>;
  const [, text, target] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
  if (!target) return part;
  const href = hrefOf(target);
  return (
    <Anchor key={index} {...(/\.\w+$/.test(href) ? {} : { component: Link })} href={href} underline="always">
      {text}
    </Anchor>
  );
}

/** Pages link to each other's files, and to other pages of the site with its URL. */
function hrefOf(target: string): string {
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
  if (!name) return target.replace(/^https?:\/\/[^/]+/, '');
  return docPages.find((page) => page.name === name)!.path + anchor;
}
