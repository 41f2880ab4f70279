const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Whether the text may be an event id or the id of a widget. */
export const isUuid = (text: string): boolean => uuid.test(text);
