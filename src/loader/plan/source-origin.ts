import { tellingText } from '../../core/parameters.js';

/** Whether a text can stand in records as whose data it is. */
export const isSourceName = (text: string): boolean => [...text].length <= 200 && tellingText.test(text);

export const sourceNameRule = 'must say something in 200 characters at the most, without control characters';

/** Whether a text is an address that data can have come from: the page of its county leads there. */
export const isSourceUrl = (text: string): boolean => /^https?:\/\/\S{1,1000}$/.test(text);

export const sourceUrlRule = 'must be an http address';
