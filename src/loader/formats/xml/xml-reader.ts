import { SaxesParser } from 'saxes';
import { AppError } from '../../../core/errors.js';

export type Attributes = Record<string, string>;

export interface XmlHandler {
  open(name: string, attributes: Attributes, depth: number): void;
  /** With all of the text that stands directly in the element. */
  close(name: string, text: string, depth: number): void;
  /** The document is not well-formed hereabouts. */
  fail(reason: string): void;
}

const maxDepth = 100;

/** Tells a handler of a document's elements as its text comes in. Names are told without their prefixes. */
export class XmlReader {
  private readonly parser = new SaxesParser();
  private readonly texts: string[] = [];
  private lastFault: string | null = null;

  constructor(handler: XmlHandler) {
    const { parser, texts } = this;
    parser.on('opentag', ({ name, attributes }) => {
      if (texts.push('') > maxDepth) throw new AppError('invalid_request', 'The document is nested too deeply.');
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

  /** @throws AppError where the document has not ended */
  end(): void {
    this.lastFault = null;
    this.parser.close();
    if (this.lastFault !== null) throw new AppError('invalid_request', `The file is cut: ${this.lastFault}.`);
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
