export type OnWarning = (message: string, details?: object) => void;
