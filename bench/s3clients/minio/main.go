// Minio measures minio-go; see ../compare.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"waxwing/bench/s3clients/measure"
)

func main() {
	client, err := minio.New(os.Args[1], &minio.Options{
		Creds: credentials.NewEnvAWS(), Region: "us-east-1", BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		log.Fatal(err)
	}
	core := minio.Core{Client: client}
	opts := minio.GetObjectOptions{}
	if err := opts.SetRange(0, measure.Size-1); err != nil {
		log.Fatal(err)
	}
	measure.Gets("minio-go", func(ctx context.Context) (io.ReadCloser, error) {
		body, _, _, err := core.GetObject(ctx, "music", "song", opts)
		return body, err
	})
}
