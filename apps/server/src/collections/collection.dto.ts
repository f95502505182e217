import { type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { type IndexGeneration } from '@core/domain';
import { ApiCount, ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { MayBeAbsent } from '../http/field-rules.js';
import { listOf } from '../http/page.dto.js';
import { type Collection } from './collections.service.js';

const HOUR_MS = 3_600_000;

export class ActivateDto {
  @ApiPropertyOptional({
    description: 'Also when it lacks repositories, or files that searches find now.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  force?: boolean;
}

/** An `index_generations` row. */
export class GenerationDto {
  @ApiUuid('Id of the generation.')
  id!: string;

  @ApiText('Its own name in the vector store.', 'repotide--0b0f1c9e')
  physical_name!: string;

  @ApiText('The model and vector length of all its vectors.', 'text-embedding-3-small@1536')
  model_id!: string;

  @ApiCount('Length of its vectors.', { example: 1536 })
  dimensions!: number;

  @ApiInstant('When it was begun.')
  created_at!: Date;

  @ApiInstant('When searches began to use it, the last time.', NULLABLE)
  activated_at!: Date | null;

  static of(this: void, generation: IndexGeneration): GenerationDto {
    return {
      id: generation.id,
      physical_name: generation.physicalName,
      model_id: generation.modelId,
      dimensions: generation.dimensions,
      created_at: generation.createdAt,
      activated_at: generation.activatedAt,
    };
  }
}

export class BuildingDto extends GenerationDto {
  @ApiCount('Repositories of which it has a completed sync.')
  repositories_done!: number;

  @ApiCount('Repositories that the active generation answers from.')
  repositories_total!: number;

  @ApiCount('Files that the active generation holds and this one failed on; they hold up the switch.', {
    example: 0,
  })
  files_failed!: number;
}

export class RetiredDto extends GenerationDto {
  @ApiInstant('When another took over.')
  retired_at!: Date;

  @ApiInstant('Until when it is kept for a roll-back.')
  drop_at!: Date;
}

/** `nullable` beside a reference says nothing in OpenAPI 3.0. */
function orNull(model: Type<unknown>) {
  return { oneOf: [{ $ref: getSchemaPath(model) }, { type: 'object', nullable: true, enum: [null] }] };
}

/** A collection: the index that searches use, the one that is built beside it, and those kept for a roll-back. */
@ApiExtraModels(GenerationDto, BuildingDto)
export class CollectionDto {
  @ApiText('Its name; in Qdrant an alias of the active generation.', 'repotide')
  name!: string;

  @ApiProperty({ description: 'What searches use.', ...orNull(GenerationDto) })
  active!: GenerationDto | null;

  @ApiProperty({ description: 'What is built for another model; null: nothing.', ...orNull(BuildingDto) })
  building!: BuildingDto | null;

  @ApiProperty({ description: 'What was active before, the last one first.', type: [RetiredDto] })
  retired!: RetiredDto[];

  static of(this: void, { name, active, building, retired }: Collection, keepHours: number): CollectionDto {
    return {
      name,
      active: active && GenerationDto.of(active),
      building: building && {
        ...GenerationDto.of(building),
        repositories_done: building.repositoriesDone,
        repositories_total: building.repositoriesTotal,
        files_failed: building.filesFailed,
      },
      retired: retired.flatMap((generation) => {
        const { retiredAt } = generation;
        if (retiredAt === null) return [];
        const dropAt = new Date(retiredAt.getTime() + keepHours * HOUR_MS);
        return [{ ...GenerationDto.of(generation), retired_at: retiredAt, drop_at: dropAt }];
      }),
    };
  }
}

export class ReindexStartedDto {
  @ApiProperty({ type: CollectionDto })
  collection!: CollectionDto;

  @ApiCount('Syncs that were queued, one for each repository.')
  queued!: number;

  @ApiCount('Repositories with a run that goes on or waits; their next sync is for the new index.', {
    example: 0,
  })
  busy!: number;
}

export class RolledBackDto {
  @ApiProperty({ type: CollectionDto })
  collection!: CollectionDto;

  @ApiCount(
    'Repositories of which the index now in use holds another commit, or none. Their next syncs bring it up to date, if its model can be reached.',
    { example: 0 },
  )
  repositories_behind!: number;
}

export const CollectionListDto = listOf(CollectionDto);
