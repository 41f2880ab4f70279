/** How many of the things that were looked at last are kept. */
export const keptVisits = 5;
