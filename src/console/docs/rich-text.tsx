import { Code, Text } from '@mantine/core';

/** A description from the OpenAPI document: paragraphs, `code` and **strong** text. No other Markdown is supported. */
export function RichText({ text, size = 'md' }: { text: string; size?: 'sm' | 'md' }) {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => (
      <Text key={paragraph} size={size} mb={size === 'sm' ? 0 : 'xs'} maw="72ch">
        {paragraph.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(inline)}
      </Text>
    ));
}

function inline(part: string) {
  if (part.startsWith('`')) return <Code key={part}>{part.slice(1, -1)}</Code>;
  if (part.startsWith('**')) return <strong key={part}>{part.slice(2, -2)}</strong>;
  return part;
}
