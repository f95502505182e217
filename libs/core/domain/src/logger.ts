/** Messages are fixed texts; variable parts are fields. Neither may contain a secret or file content. */
export abstract class Logger {
  abstract debug(fields: object, message: string): void;
  abstract info(fields: object, message: string): void;
  abstract warn(fields: object, message: string): void;
  abstract error(fields: object, message: string): void;
  abstract child(fields: object): Logger;
}
