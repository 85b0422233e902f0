/** The note of parcel numbers that Excel turned into days, such as 1-9, when it opened a table. */
export const dayNumbers = 'Parcel numbers that are days, as Excel makes of numbers such as 1-9';

const month = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const dayOfExcel = new RegExp(
  `^((\\d{1,2}-)?(${month})(-\\d\\d)?|(1[0-2]|[1-9])/(3[01]|[12]\\d|[1-9])/(19|20)\\d\\d|(19|20)\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01]))$`,
  'i',
);
const longest = 10;

/** Whether a parcel number looks like a day: `9-Jan`, `1/9/2023`, or, as a workbook has it, `2023-01-09`. Some may be genuine. */
export const isDayOfExcel = (apn: string): boolean => apn.length <= longest && dayOfExcel.test(apn);
