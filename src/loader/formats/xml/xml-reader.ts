import { SaxesParser } from 'saxes';
import { refusal } from '../../../core/errors.js';

export type Attributes = Record<string, string>;

export interface XmlHandler {
  open(name: string, attributes: Attributes, depth: number): void;
  /** @param text all text directly in the element */
  close(name: string, text: string, depth: number): void;
  /** Called where the document is not well-formed. */
  fail(reason: string): void;
}

const maxDepth = 100;

/** Calls a handler for each element as the text arrives. Names come without their prefixes. */
export class XmlReader {
  private readonly parser = new SaxesParser();
  private readonly texts: string[] = [];
  private lastFault: string | null = null;

  constructor(handler: XmlHandler) {
    const { parser, texts } = this;
    parser.on('opentag', ({ name, attributes }) => {
      if (texts.push('') > maxDepth) throw refusal('The document is nested too deeply.');
      handler.open(localName(name), attributes as Attributes, texts.length);
    });
    const addText = (text: string) => {
      if (texts.length > 0) texts[texts.length - 1] += text;
    };
    parser.on('text', addText);
    parser.on('cdata', addText);
    parser.on('closetag', ({ name }) => handler.close(localName(name), texts.pop() ?? '', texts.length + 1));
    parser.on('error', ({ message }) => {
      this.lastFault = message;
      handler.fail(`Not well-formed XML: ${message}`);
    });
  }

  write(text: string): void {
    this.parser.write(text);
  }

  /** @throws AppError if the document is incomplete */
  end(): void {
    this.lastFault = null;
    this.parser.close();
    if (this.lastFault !== null) throw refusal(`The file is cut: ${this.lastFault}.`);
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
