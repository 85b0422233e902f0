/** Letters and digits of a parcel number, in upper case. For searching only: two parcels of a county may share it. */
export const plainParcelNumber = (apn: string): string => apn.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
