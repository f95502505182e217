import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOneOf, MayBeAbsent } from './field-rules.js';

/** The `sort` parameter of a list: one of its columns, a minus before it turns the order round. */
export function ApiSort(columns: readonly string[], byDefault: string): PropertyDecorator {
  const orders = columns.flatMap((column) => [column, `-${column}`]);
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'What to order by; with a minus, downwards. A row without a value counts as the least; equal rows are ordered by id.',
      enum: orders,
      default: byDefault,
    }),
    MayBeAbsent(),
    IsOneOf(orders),
  );
}
