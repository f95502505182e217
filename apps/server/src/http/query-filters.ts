import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { EXECUTION_TRIGGERS } from '@core/domain';
import { IsInstant, IsOneOf, IsText, MayBeAbsent } from './field-rules.js';

/** A filter of a query by the id of a row. */
export function IdFilter(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, type: String, format: 'uuid' }),
    MayBeAbsent(),
    IsUUID('all'),
  );
}

/** One end of a range of time in a query. */
export function InstantFilter(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, type: String, format: 'date-time' }),
    MayBeAbsent(),
    IsInstant(),
  );
}

/** A filter of runs by what asked for them. */
export function TriggerFilter(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description: 'Only runs that were asked for in this way.',
      enum: EXECUTION_TRIGGERS,
      enumName: 'ExecutionTrigger',
    }),
    MayBeAbsent(),
    IsOneOf(EXECUTION_TRIGGERS),
  );
}

/** A filter of runs by the pod that runs, or ran, them. */
export function PodFilter(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description: 'Only runs of this pod.', example: 'repotide-0' }),
    MayBeAbsent(),
    IsText(255),
  );
}
