// Aws measures aws-sdk-go-v2; see ../compare.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"waxwing/bench/s3clients/measure"
)

func main() {
	client := s3.New(s3.Options{
		Region: "us-east-1", UsePathStyle: true, BaseEndpoint: aws.String("http://" + os.Args[1]),
		Credentials: credentials.NewStaticCredentialsProvider(
			os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), ""),
	})
	measure.Gets("aws-sdk", func(ctx context.Context) (io.ReadCloser, error) {
		out, err := client.GetObject(ctx, &s3.GetObjectInput{
			Bucket: aws.String("music"), Key: aws.String("song"),
			Range: aws.String(fmt.Sprintf("bytes=0-%d", measure.Size-1)),
		})
		if err != nil {
			return nil, err
		}
		return out.Body, nil
	})
}
