import { type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Page, type PageRequest } from '@core/domain';
import { FromQueryNumber, IsWholeNumber } from './field-rules.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
// Postgres' bigint would take more, but nobody pages that far.
const MAX_OFFSET = 2_147_483_647;

/** `limit` and `offset` of every list. */
export class PageQueryDto implements PageRequest {
  @ApiPropertyOptional({
    description: 'How many items to answer.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
  })
  @FromQueryNumber()
  @IsWholeNumber(1, MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    description: 'How many items to pass over.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_OFFSET,
    default: 0,
  })
  @FromQueryNumber()
  @IsWholeNumber(0, MAX_OFFSET)
  offset: number = 0;
}

/** A list answer: `{"items": [...], "total": n}`. */
export interface ListDto<T> {
  items: T[];
  total: number;
}

/** The documented list class of an item class. */
export function listOf<T>(item: Type<T>): Type<ListDto<T>> {
  class List implements ListDto<T> {
    @ApiProperty({ type: [item] })
    items!: T[];

    @ApiProperty({ description: 'How many match, on all pages.', type: 'integer', example: 1 })
    total!: number;
  }
  Object.defineProperty(List, 'name', { value: item.name.replace(/Dto$/, 'ListDto') });
  return List;
}

export function toList<Row, T>(page: Page<Row>, present: (row: Row) => T): ListDto<T> {
  return { items: page.items.map(present), total: page.total };
}
