import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  buildMessage,
  isIn,
  ValidateBy,
  ValidateIf,
  type ValidateByOptions,
  type ValidationOptions,
} from 'class-validator';

/** The field may be left out; unlike with `IsOptional`, null is refused. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

export function MayBeNull(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== null && value !== undefined);
}

/** Text that Postgres can hold: 1 to `maxLength` characters, none of them NUL. */
export function IsText(maxLength: number, options?: ValidationOptions): PropertyDecorator {
  return rule(
    'isText',
    (value) =>
      typeof value === 'string' && value !== '' && value.length <= maxLength && !value.includes('\0'),
    `must be text of 1 to ${maxLength} characters without NUL`,
    options,
  );
}

export function IsWholeNumber(min: number, max: number, options?: ValidationOptions): PropertyDecorator {
  return rule(
    'isWholeNumber',
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    `must be a whole number from ${min} to ${max}`,
    options,
  );
}

export function IsOneOf(values: readonly string[], options?: ValidationOptions): PropertyDecorator {
  return rule('isOneOf', (value) => isIn(value, values), `must be one of ${values.join(', ')}`, options);
}

export function Trimmed(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
}

/** A query parameter that is a number; what is no number stays as it came, so that the answer can show it. */
export function FromQueryNumber(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value,
  );
}

export function FromQueryBoolean(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    value === 'true' ? true : value === 'false' ? false : value,
  );
}

/** A query parameter that may be repeated or hold commas: `?status=failed,partial&status=cancelled`. */
export function FromQueryList(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => {
    if (value === undefined) return undefined;
    return [value].flat().flatMap((part) => (typeof part === 'string' ? part.split(',') : [part]));
  });
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** An instant with its offset, turned into a `Date`; a time without offset would mean a different one per server. */
export function IsInstant(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      // An unescaped `+` of an offset arrives as a blank.
      const text = typeof value === 'string' ? value.replace(' ', '+') : '';
      const date = INSTANT.test(text) ? new Date(text) : null;
      return date && !Number.isNaN(date.getTime()) ? date : value;
    }),
    rule(
      'isInstant',
      (value) => value instanceof Date,
      'must be an instant such as 2026-11-20T09:00:00Z or 2026-11-20T10:00:00+01:00',
    ),
  );
}

/** Refuses a field when the other one is given too, and asks for one of the two. */
export function IsGivenUnless(other: string, options?: ValidationOptions): PropertyDecorator {
  const given: ValidateByOptions = {
    name: 'isGivenUnless',
    validator: {
      validate: (value, args) => {
        const isOtherGiven = (args?.object as Record<string, unknown>)[other] !== undefined;
        return (value !== undefined) !== isOtherGiven;
      },
      defaultMessage: () => `Exactly one of $property and ${other} must be given`,
    },
  };
  return ValidateBy(given, options);
}

function rule(
  name: string,
  isValid: (value: unknown) => boolean,
  expected: string,
  options?: ValidationOptions,
): PropertyDecorator {
  return ValidateBy(
    {
      name,
      validator: {
        validate: isValid,
        defaultMessage: buildMessage((each) => `${each}$property ${expected}`, options),
      },
    },
    options,
  );
}
