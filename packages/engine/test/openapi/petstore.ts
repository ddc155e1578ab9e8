import { parse } from 'yaml'

/** A small shop in YAML, OpenAPI 3.0. */
export const PETSTORE: object = parse(`
openapi: 3.0.3
info: { title: Petstore, version: '1' }
servers: [{ url: 'https://pets.example/v1' }]
tags: [{ name: pets }, { name: orders }]
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
    key: { type: apiKey, in: query, name: api_key }
  parameters:
    limit: { name: limit, in: query, description: 'How many. The rest comes later.', schema: { type: integer, minimum: 1, maximum: 100 } }
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, maxLength: 40 }
        tag: { type: string, nullable: true }
        friends: { type: array, items: { $ref: '#/components/schemas/Pet' } }
security: [{ token: [] }]
paths:
  /pets:
    get:
      operationId: listPets
      tags: [pets]
      summary: Lists pets
      parameters:
        - $ref: '#/components/parameters/limit'
        - { name: page, in: query, schema: { type: integer } }
        - { name: tags, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: X-Trace, in: header, schema: { type: string } }
      responses: { '200': { description: ok } }
    post:
      operationId: createPet
      tags: [pets]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
      responses: { '201': { description: made } }
  /pets/{petId}:
    parameters: [{ name: petId, in: path, required: true, schema: { type: string } }]
    get: { operationId: pets/show, tags: [pets], description: '<p>Shows <b>one</b> pet</p>', responses: { '200': { description: ok } } }
    put:
      operationId: updatePet
      parameters: [{ name: name, in: query, schema: { type: string } }]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '200': { description: ok } }
    delete: { responses: { '204': { description: gone } } }
  /pets/{petId}/photo:
    get: { operationId: photo, security: [], responses: { '200': { description: ok } } }
    post:
      operationId: upload
      requestBody:
        content:
          multipart/form-data:
            schema: { type: object, properties: { title: { type: string }, file: { type: string, format: binary } } }
      responses: { '200': { description: ok } }
  /orders:
    post:
      operationId: order
      tags: [orders]
      security: [{ key: [] }]
      requestBody:
        content:
          application/x-www-form-urlencoded:
            encoding: { items: { style: deepObject, explode: true } }
            schema: { type: object, properties: { items: { type: array, items: { type: object, properties: { id: { type: integer } } } }, note: { type: string } } }
      responses: { '200': { description: ok } }
  /elsewhere:
    get: { operationId: elsewhere, servers: [{ url: 'https://evil.example' }], responses: {} }
  /broken:
    get: { operationId: broken, parameters: [{ $ref: 'other.yaml#/x' }], responses: {} }
    head: { operationId: lost, parameters: [{ $ref: '#/components/parameters/nothing' }], responses: {} }
`) as object

/** The same in the words of Swagger 2.0, as an object. */
export const SWAGGER: object = {
  swagger: '2.0',
  info: { title: 'Old shop', version: '1' },
  host: 'pets.example',
  basePath: '/v1',
  schemes: ['https'],
  securityDefinitions: { login: { type: 'basic' } },
  security: [{ login: [] }],
  definitions: { Pet: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [
          { name: 'ids', in: 'query', type: 'array', items: { type: 'integer' }, collectionFormat: 'multi' },
          { name: 'sort', in: 'query', type: 'string', enum: ['name', 'age'] },
        ],
        responses: { 200: { description: 'ok' } },
      },
      post: {
        operationId: 'createPet',
        consumes: ['application/json'],
        parameters: [{ name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } }],
        responses: { 201: { description: 'made' } },
      },
    },
  },
}
